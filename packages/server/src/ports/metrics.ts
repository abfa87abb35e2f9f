/** Figures for monitoring, without ids, addresses or names: a label is one of a few fixed words. */

/** All figures, in the text format of Prometheus. */
export interface Metrics {
  /** The media type of `text`. */
  readonly contentType: string
  /** Calls at the same time share one answer. A figure that cannot be had now is left out. */
  text(): Promise<string>
}

/** Learns of the requests and connections of the server. It neither waits nor fails, and takes microseconds. */
export interface RequestWatch {
  connected(connection: CountedConnection): void
  /** Call it for an arrived request with its operation; call the result once, at the answer's or client's end. */
  begun(operation: string): (end: RequestEnd) => void
}

/** A socket counts its bytes itself. */
export interface CountedConnection {
  readonly bytesRead: number
  readonly bytesWritten: number
  once(event: 'close', then: () => void): void
}

export interface RequestEnd {
  /** Undefined if the client disconnected before the answer was complete. */
  readonly status: number | undefined
  /** The code of the problem that was answered. */
  readonly problem: string | undefined
}
