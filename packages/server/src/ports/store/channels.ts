import type { AccountId, ChannelId, Instant } from '@blindkeep/protocol/ids'
import type { ChannelKind, ChannelState, DeliveryFault } from '@blindkeep/protocol/schemas/channels'

export interface NewChannel {
  readonly channelId: ChannelId
  readonly accountId: AccountId
  readonly kind: ChannelKind
  readonly state: ChannelState
  /** Where it leads, with its secrets, under the master secret. */
  readonly sealedTarget: Uint8Array
  readonly createdAt: Instant
}

/** Where an owner hears of landed drops. */
export interface Channel extends NewChannel {
  /** The number of the account's last change that the owner was notified of. */
  readonly notifiedSeq: number
  /** The last change of the message that is under way, or has failed and is to be repeated. */
  readonly sendingSeq: number | undefined
  /** No attempt before this instant. */
  readonly dueAt: Instant
  /** An attempt of some process lasts at most until then. */
  readonly leasedUntil: Instant | undefined
  /** Failed attempts since the last message that arrived. */
  readonly attempts: number
  readonly sentAt: Instant | undefined
  readonly failedAt: Instant | undefined
  readonly fault: DeliveryFault | undefined
}

/** An active channel of an account that is neither suspended nor deleted, and whose changes it has not reported all. */
export interface ChannelNews extends Channel {
  /** The number of the account's last change. */
  readonly changeSeq: number
}

export interface ChannelPage {
  readonly at: Instant
  readonly after: number
  readonly max: number
}

export interface PlacedChannel {
  readonly accountId: AccountId
  /** Increases with each channel. */
  readonly place: number
}

/** What an owner hears of, with the numbers after `after`, up to `upTo`. */
export interface Landings {
  /** Drops that landed. */
  readonly count: number
  /** Whether the inbox was nearly full, and whether a guest's file found no room. */
  readonly isNearlyFull: boolean
  readonly isRefused: boolean
  /** The first and last of all. */
  readonly firstAt: Instant
  readonly lastAt: Instant
}

export interface ChannelReads {
  find(channelId: ChannelId): Promise<Channel | undefined>
  /** Oldest first. */
  listOf(accountId: AccountId): Promise<readonly Channel[]>
  /** Of 1 to 64 accounts, in no order. Changes of any kind count as news. */
  newsOf(accountIds: readonly AccountId[]): Promise<readonly ChannelNews[]>
  /** Accounts of channels that have news and may be tried at `at`: at most `max` channels, in the order of their places, from the first one after `after`. */
  withNews(page: ChannelPage): Promise<readonly PlacedChannel[]>
  /** Undefined if there is nothing to hear of. */
  landings(
    accountId: AccountId,
    range: { readonly after: number; readonly upTo: number },
  ): Promise<Landings | undefined>
}

/** All but `insert` are one conditional statement, and need no lock: each judges in its own condition the row as it is then. */
export interface ChannelWrites {
  /** Reports changes after this one. False if the id is taken. */
  insert(channel: NewChannel): Promise<boolean>
  /** No error if the account has no such channel. */
  remove(channelId: ChannelId, accountId: AccountId): Promise<void>
  /** Makes it active, with another target. False if it was not unconfirmed, or its target is not `from` any more. */
  confirm(channelId: ChannelId, target: { readonly from: Uint8Array; readonly to: Uint8Array }): Promise<boolean>
  /** Makes a channel active again that was given up, and due at once. No effect on any other. */
  resume(channelId: ChannelId, at: Instant): Promise<void>
  /** There is nothing to report up to `upTo`. No effect if an attempt is under way, has ended meanwhile, or failed with another message. */
  skip(
    channelId: ChannelId,
    skipped: { readonly after: number; readonly upTo: number; readonly at: Instant },
  ): Promise<void>
  /**
   * Begins an attempt, which others then leave alone until `until`. Answers the last change that its message reports: `upTo`, or what an earlier attempt began
   * with. Undefined, and nothing changes, if the channel is not active, not due, leased, or has reported something meanwhile.
   */
  claim(channelId: ChannelId, claim: ChannelClaim): Promise<number | undefined>
  /** The claimed message has arrived. False if the claim was taken over. */
  settle(
    channelId: ChannelId,
    settled: { readonly claimId: string; readonly at: Instant; readonly dueAt: Instant },
  ): Promise<boolean>
  /** The claimed attempt has failed. False if the claim was taken over. */
  fail(channelId: ChannelId, failed: FailedAttempt): Promise<boolean>
}

export interface ChannelClaim {
  /** New for each attempt. */
  readonly claimId: string
  readonly after: number
  readonly upTo: number
  readonly at: Instant
  readonly until: Instant
}

export interface FailedAttempt {
  readonly claimId: string
  readonly at: Instant
  readonly fault: DeliveryFault
  /** `given_up`: no more attempts. */
  readonly state: 'active' | 'given_up'
  readonly dueAt: Instant
}
