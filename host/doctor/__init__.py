"""`headband doctor`: looks at every part, names the broken ones and what to do about them. May import
`host.app`.
"""
