/** Facts about the server itself. */

/** server_id: the origin that receipts carry. token_key: sealed Ed25519 key of access tokens. server_secret: sealed 32 bytes for made-up salts and refresh tokens. */
export type ServerFact = 'server_id' | 'token_key' | 'server_secret'

export interface ServerReads {
  fact(name: ServerFact): Promise<Uint8Array | undefined>
}

export interface ServerWrites {
  setFact(name: ServerFact, value: Uint8Array): Promise<void>
}
