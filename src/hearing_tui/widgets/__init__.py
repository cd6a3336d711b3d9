"""What is drawn, a small file each; decisions live in the pure files beside this folder."""
