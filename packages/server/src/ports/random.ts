/** The operating system's random generator. */
export interface Random {
  bytes(count: number): Uint8Array
  /** Random, version 4: for ids that a guest sees, as it tells no time. */
  uuid(): string
}
