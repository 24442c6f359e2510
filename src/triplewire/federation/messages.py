"""Everything that super-peers say to each other about rules. Terms and rules travel as text."""

from __future__ import annotations

from triplewire.federation.execution import messages as execution
from triplewire.federation.indexes import network_index, whole_schema
from triplewire.federation.inquiries import messages as inquiries
from triplewire.federation.registration import messages as registration

Message = (
    registration.Registered
    | registration.Unregistered
    | registration.Summary
    | registration.Correction
    | registration.RulesWanted
    | registration.RulesFound
    | network_index.Offer
    | network_index.Versions
    | whole_schema.GroupSchema
    | execution.ActionInstance
    | execution.ChildScheduled
    | execution.AbortWanted
    | execution.SubQuery
    | execution.SubAnswer
    | execution.Conflicts
    | execution.Withdrawn
    | inquiries.RelevanceWanted
    | inquiries.RelevanceFound
    | inquiries.TraceWanted
    | inquiries.TraceFound
)
