"""The handwritten digits are the whole data set, in the form that chapter 10 trains on."""
import numpy as np

from minigrad.book import digits


def test_images_and_labels():
    images, labels = digits()
    assert images.shape == (1797, 8, 8) and images.dtype == np.float32
    assert labels.shape == (1797,) and labels.dtype == np.int64
    assert images.min() == 0 and images.max() == 1
    assert np.array_equal(np.unique(labels), np.arange(10)) and np.bincount(labels).min() == 174


def test_a_mean_image_of_each_digit_tells_most_of_them_apart():
    images, labels = digits()
    means = np.array([images[labels == digit].mean(0) for digit in range(10)])
    nearest = ((images[:, None] - means) ** 2).sum((2, 3)).argmin(1)
    assert (nearest == labels).mean() > 0.89
