import type { AccountId, AlbumId, Instant } from '@blindkeep/protocol/ids'

export interface Album {
  readonly albumId: AlbumId
  readonly accountId: AccountId
  readonly sealedName: Uint8Array | undefined
  readonly createdAt: Instant
}

/** Nothing finds, lists or counts a deleted album. */
export interface AlbumReads {
  find(albumId: AlbumId): Promise<Album | undefined>
  /** Oldest first. */
  listOf(accountId: AccountId): Promise<readonly Album[]>
  count(accountId: AccountId): Promise<number>
  /** Whether it has no asset, and no upload that reserves one. */
  isEmpty(albumId: AlbumId): Promise<boolean>
}

export interface AlbumWrites {
  /** False if the id is taken, by any account. */
  insert(album: Album): Promise<boolean>
  /** Undefined removes the name. False, and nothing changed, if the account has no such album. */
  setName(albumId: AlbumId, accountId: AccountId, sealedName: Uint8Array | undefined): Promise<boolean>
  /** Deletes an album that is empty. Its id stays taken, and its deleted assets keep it. */
  end(albumId: AlbumId, at: Instant): Promise<void>
}
