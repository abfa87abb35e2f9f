import type { AccountId, ChannelId, Instant } from '@blindkeep/protocol/ids'
import type { ChannelKind, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'
import { counter, given, inner, later, type New, type Row, sequence } from '../columns.ts'

/** Where owners hear of landed drops. */
export const channels = {
  /** The order in which they were added. */
  channelSeq: sequence(),
  channelId: given<ChannelId>(),
  accountId: given<AccountId>(),
  kind: given<ChannelKind>(),
  state: given<ChannelState>(),
  /** Where it leads, with its secrets, under the master secret. */
  sealedTarget: given<Uint8Array>(),
  createdAt: given<Instant>(),
  /** The number of the account's last change that the owner was notified of. */
  notifiedSeq: given<number>(),
  /** The last change of the message that is under way, or has failed and is to be repeated. */
  sendingSeq: later<number>(),
  /** No attempt before this instant. */
  dueAt: given<Instant>(),
  /** Names an attempt that is under way. */
  claimId: inner(later<string>()),
  /** An attempt of some process lasts at most until then. */
  leasedUntil: later<Instant>(),
  /** Failed attempts since the last message that arrived. */
  attempts: counter(),
  sentAt: later<Instant>(),
  failedAt: later<Instant>(),
  fault: later<DeliveryFault>(),
}

export type Channel = Row<typeof channels>
export type NewChannel = Omit<New<typeof channels>, 'notifiedSeq' | 'dueAt'>
