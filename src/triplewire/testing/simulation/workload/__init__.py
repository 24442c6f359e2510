"""What simulated peers do: queries, offers and facts, drawn by chance.

dialect   as SPARQL, Turtle and N-Quads, like everything that peers say
draws     queries, offers and facts by chance: few properties and few values, so that they overlap and imply each
          other
facts     what simulated peers ask, offer and publish: integers under named properties
reasoner  a reasoner that was told what the texts mean, and so answers at once and exactly
schedule  peers come and go, ask, offer and publish while a network is broken and mended
"""
