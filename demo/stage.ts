import type { Story } from './story.ts'

/** What the demo runs on: one server, or several nodes. */
export interface Stage {
  /** The address for owners and guests, without a slash at the end. */
  readonly url: string
  /** Kills a process of the server with SIGKILL while a guest sends, and starts it again. */
  serverIsKilled(story: Story): Promise<void>
  /** Changes one bit of the object with this hash, behind the server's back. */
  flipBit(hash: string): Promise<void>
  /** Peak memory of each server process, in bytes; undefined where the system does not report it. */
  peakMemory(): Promise<readonly (number | undefined)[]>
  /** The end of the log of each process. */
  logs(): readonly string[]
  /** Asks every process to stop. Returns their exit codes. */
  terminate(): Promise<readonly (number | null)[]>
  /** Ends everything and removes its files. */
  stop(): Promise<void>
}
