class CrawlScope:
    def __init__(self, include, exclude, block_hosts):
        pass

    def refuses(self, url, host):
        return ""

    def saw(self, page):
        pass
