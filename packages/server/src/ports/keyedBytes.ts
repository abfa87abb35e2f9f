import type { ByteRange } from './objects.ts'

/**
 * What a store with keys does with single keys: it joins several to one, removes and lists them. A store without keys
 * has none of this.
 *
 * Promises that every adapter keeps:
 * - Every method but `list` throws for a text that is no key of the server.
 * - The store does not answer, or refuses: `StorageUnavailable`. The call may have had its effect all the same,
 *   also later.
 * - `BlobMissing` is thrown only if the store itself is present.
 */
export interface KeyedBytes {
  readonly limits: JoinLimits
  /** Size in bytes, or undefined if nothing is at the key. */
  size(key: string): Promise<number | undefined>
  /** Gives the bytes of the range; fewer if the key has fewer. Throws `BlobMissing` before the first byte. */
  read(key: string, range: ByteRange): AsyncIterable<Uint8Array>
  /** Removes what is at the key. No error if there is nothing. */
  remove(key: string): Promise<void>
  /** Every key of the server's form below its prefix, in no order. */
  list(): AsyncIterable<ListedKey>

  /** Begins to join pieces into `key`. Returns the id of the joining. Nothing is at the key until `complete`. */
  create(key: string): Promise<string>
  /** Adds a range of another key as a piece, inside the store. */
  copy(piece: Piece, source: { readonly key: string; readonly range: ByteRange }): Promise<JoinedPiece>
  /** Adds bytes as a piece. */
  upload(piece: Piece, bytes: Uint8Array): Promise<JoinedPiece>
  /** Puts the pieces, by their numbers, at the key. After an error the key tells whether it happened. */
  complete(joining: Joining, pieces: readonly JoinedPiece[]): Promise<void>
  /** Gives up a joining and its pieces, if any. Not while `complete` may run, unless the key is given up too. */
  abort(joining: Joining): Promise<void>
}

export interface JoinLimits {
  /** Each piece but the last has at least so many bytes. */
  readonly minPieceBytes: number
  readonly maxPieceBytes: number
  readonly maxPieces: number
}

export interface Joining {
  readonly key: string
  readonly joiningId: string
}

export interface Piece extends Joining {
  /** From 1 on. */
  readonly number: number
}

export interface JoinedPiece {
  readonly number: number
  /** What the store calls the piece. */
  readonly tag: string
}

export interface ListedKey {
  readonly key: string
  /** For how long it has been there, by the store's own clock. */
  readonly ageSeconds: number
}
