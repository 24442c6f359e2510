"""Everything that super-peers say to each other about rules. Terms and rules travel as text."""

from __future__ import annotations

from triplewire.federation.registration import messages as registration

Message = (
    registration.Registered
    | registration.Unregistered
    | registration.Summary
    | registration.Correction
    | registration.RulesWanted
    | registration.RulesFound
)
