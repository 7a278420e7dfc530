"""What is done to a crawl directory between crawls.

`forget` takes pages out for good, `recover` takes in again what the archive holds and the database
lost, `verify` checks everything against everything else. Each works on a directory that nobody is
crawling in, and each can be interrupted and called again.
"""
