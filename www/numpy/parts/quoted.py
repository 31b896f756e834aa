def quoted(text):
    """Text as a field of a CSV table: not a formula of a spreadsheet, and in quotes if it has separators."""
    is_number = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", text, re.I)
    if re.match("[-=+@\t\r\n＝＋－＠]", text) and not is_number:
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if re.search('[,;"\t\r\n]', text) else text
