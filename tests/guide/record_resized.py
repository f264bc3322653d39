"""Records what `resize_images` of TF 1.15.5 gives: `python3.7 record_resized.py resized.npz`."""

import sys

import numpy as np
import tensorflow as tf

METHODS = ["bilinear", "nearest", "bicubic", "area"]  # in the order of their numbers in TF1
SIZES = [(8, 12), (10, 15), (32, 48)]
IMAGE = np.random.RandomState(0).randint(0, 256, (1, 16, 24, 1)).astype(np.float32)


def main():
    # type: () -> None
    found = {}
    with tf.Session() as session:
        for number, method in enumerate(METHODS):
            for corners in (False, True):
                for size in SIZES:
                    resized = tf.image.resize_images(IMAGE, size, number, align_corners=corners)
                    name = f"{method}-{corners:d}-{size[0]}"
                    found[name] = session.run(resized)
    np.savez_compressed(sys.argv[1], **found)


if __name__ == "__main__":
    main()
