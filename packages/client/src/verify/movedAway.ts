/**
 * This client has followed the server from `from` to `to`. What answers at `from` is not the server that it knew, and
 * gets nothing.
 */
export class MovedAway extends Error {
  override readonly name = 'MovedAway'
  readonly from: string
  readonly to: string

  constructor({ from, to }: { readonly from: string; readonly to: string }) {
    super(`${from} has moved to ${to}. What answers at the old address is not the server that was known there.`)
    this.from = from
    this.to = to
  }
}
