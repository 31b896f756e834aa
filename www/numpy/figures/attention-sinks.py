# none: Programs cannot compute the scores of rotary heads, with which the sinks compete.
