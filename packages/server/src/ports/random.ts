/** The operating system's random generator. */
export interface Random {
  bytes(count: number): Uint8Array
  /** Version 4. For ids that a guest sees, because it reveals no time. */
  uuid(): string
}
