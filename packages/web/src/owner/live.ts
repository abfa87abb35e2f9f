/** One stream of the server's events for all pages. */
import { systemEnvironment } from '@blindkeep/client/environment'
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { hasMoved } from '../common/address/hasMoved.ts'

export interface Live {
  readonly isConnected: boolean
  /** Whether pages may load: the stream reports all changes from now on, or is too slow to wait for. */
  readonly isReady: boolean
  /** The server is at another address now, and answers nothing more here. */
  readonly hasMoved: boolean
  readonly onLive: (listener: (event: LiveEvent) => void) => () => void
}

/** Pages wait this long for the stream. A page that loads before it loads again when the stream is connected. */
const MAX_CONNECT_MS = 1_500
const RETRY_MS = 30_000
const MISSED: LiveEvent = { id: '', name: 'reset', data: {} }

export function useLiveEvents(owner: Owner): Live {
  const [isConnected, setConnected] = useState(false)
  const [isReady, setReady] = useState(false)
  const [isGone, setGone] = useState(false)
  const listeners = useMemo(() => new Set<(event: LiveEvent) => void>(), [owner])
  const onLive = useMemo(
    () => (listener: (event: LiveEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    [listeners],
  )

  useEffect(() => {
    const unmounted = new AbortController()
    let wasReady = false
    let wasConnected = false
    const ready = () => {
      wasReady = true
      setReady(true)
    }
    const timeout = setTimeout(ready, MAX_CONNECT_MS)
    const notifyAll = (event: LiveEvent) => {
      for (const listener of listeners) listener(event)
    }
    const onConnected = () => {
      setConnected(true)
      if (!wasConnected && wasReady) notifyAll(MISSED)
      wasConnected = true
      ready()
    }
    const onDisconnected = () => setConnected(false)
    void listen(owner, { signal: unmounted.signal, onConnected, onDisconnected, notifyAll }).then(() => {
      if (!unmounted.signal.aborted) setGone(true)
    })
    return () => {
      clearTimeout(timeout)
      unmounted.abort()
      setConnected(false)
      setReady(false)
    }
  }, [owner])

  return { isConnected, isReady, hasMoved: isGone, onLive }
}

interface Listening {
  readonly signal: AbortSignal
  readonly onConnected: () => void
  readonly onDisconnected: () => void
  readonly notifyAll: (event: LiveEvent) => void
}

/**
 * Reconnects where the client does not, as with too many streams. `SessionListener` learns a session's end. Resolves
 * when it is aborted, or when the server has moved.
 */
async function listen(owner: Owner, { notifyAll, ...options }: Listening): Promise<void> {
  while (!options.signal.aborted) {
    try {
      for await (const event of owner.events(options)) notifyAll(event)
    } catch (error) {
      options.onDisconnected()
      if (hasMoved(error)) return
      await systemEnvironment.wait(RETRY_MS, options.signal).catch(() => undefined)
      if (!options.signal.aborted) notifyAll(MISSED)
    }
  }
}
