def read_sitemap(url, body):
    raise NotImplementedError
