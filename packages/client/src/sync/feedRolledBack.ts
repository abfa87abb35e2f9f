/**
 * The server's list of changes ends before a change that this client has seen. Either the server was restored from a
 * backup, or it withholds changes. A malicious server can number its changes as it likes, so a list without this error
 * can still be an old one.
 */
export class FeedRolledBack extends Error {
  override readonly name = 'FeedRolledBack'
  /** The largest number of a change that this client has seen. */
  readonly seen: number
  /** The largest number in the server's list; 0 for an empty list. */
  readonly stated: number

  constructor({ seen, stated }: { readonly seen: number; readonly stated: number }) {
    super(`The server's list ends at change ${stated}, but this client has seen change ${seen}.`)
    this.seen = seen
    this.stated = stated
  }
}
