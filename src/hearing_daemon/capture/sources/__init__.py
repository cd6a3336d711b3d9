"""Where sound is read, inside the capture child; one file per back end, one door per heavy library.

Every back end gives an iterator of `Samples | CaptureStatus`: mono int16 at 16 kHz in blocks of 20 to 40 ms.
"""
