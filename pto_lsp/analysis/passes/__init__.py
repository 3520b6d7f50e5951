"""IR-to-IR passes, one file each, under the names PyPTO gives them."""
