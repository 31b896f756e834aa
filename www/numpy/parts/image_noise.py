# needs: random_numbers
# choices: IMAGE_SHAPE
def sample_image():
    """Random numbers from 0 to 1, [rows, columns, 3]; the seed of the page is 7."""
    rows, columns = IMAGE_SHAPE
    return uniform_numbers(7, rows * columns * 3).reshape(rows, columns, 3)
