/** One stream of events for everything that is shown. */
import { systemEnvironment } from '@blindkeep/client/environment'
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import { useEffect, useMemo, useState } from 'preact/hooks'

export interface Live {
  readonly isConnected: boolean
  /** Whether pages may load: what changes from now on is heard of, or nobody knows when that will be. */
  readonly isReady: boolean
  readonly onLive: (listener: (event: LiveEvent) => void) => () => void
}

/** A page that loads before the connection is there loads once more when it is. */
const PATIENCE_MS = 1_500
const AGAIN_MS = 30_000
const MISSED: LiveEvent = { id: '', name: 'reset', data: {} }

export function useLiveEvents(owner: Owner): Live {
  const [isConnected, setConnected] = useState(false)
  const [isReady, setReady] = useState(false)
  const listeners = useMemo(() => new Set<(event: LiveEvent) => void>(), [owner])
  const onLive = useMemo(
    () => (listener: (event: LiveEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    [listeners],
  )

  useEffect(() => {
    const gone = new AbortController()
    let wasReady = false
    let wasConnected = false
    const ready = () => {
      wasReady = true
      setReady(true)
    }
    const patience = setTimeout(ready, PATIENCE_MS)
    const tellAll = (event: LiveEvent) => {
      for (const listener of listeners) listener(event)
    }
    const onConnected = () => {
      setConnected(true)
      if (!wasConnected && wasReady) tellAll(MISSED)
      wasConnected = true
      ready()
    }
    void listen(owner, { signal: gone.signal, onConnected, onDisconnected: () => setConnected(false), tellAll })
    return () => {
      clearTimeout(patience)
      gone.abort()
      setConnected(false)
      setReady(false)
    }
  }, [owner])

  return { isConnected, isReady, onLive }
}

interface Listening {
  readonly signal: AbortSignal
  readonly onConnected: () => void
  readonly onDisconnected: () => void
  readonly tellAll: (event: LiveEvent) => void
}

/** What the client does not try again by itself, as where too many streams are open. A session that is over says so at its own place (`SessionListener`). */
async function listen(owner: Owner, { tellAll, ...options }: Listening): Promise<void> {
  while (!options.signal.aborted) {
    try {
      for await (const event of owner.events(options)) tellAll(event)
    } catch {
      options.onDisconnected()
      await systemEnvironment.wait(AGAIN_MS, options.signal).catch(() => undefined)
      if (!options.signal.aborted) tellAll(MISSED)
    }
  }
}
