import { NetworkError } from '@blindkeep/client/errors'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { createRefresher, type Refresher } from './refresher.ts'
import type { Loaded } from './useLoaded.ts'

interface Refreshed<Value> extends Loaded<Value> {
  /** More of the value follows. */
  readonly isPart: boolean
}

/**
 * For a list that changes often. Unlike `useLoaded` it never aborts a load for the next one: with many files arriving,
 * an aborted load would never show anything. The last value stays while it is loaded again, and a load that failed for
 * lack of a connection is repeated when the browser is online. The first load may show a part before the whole.
 */
export function useRefreshed<Value>(
  load: (signal: AbortSignal, onPart: (part: Value) => void) => Promise<Value>,
): Refreshed<Value> {
  const [state, setState] = useState<Omit<Refreshed<Value>, 'reload'>>({
    value: undefined,
    error: undefined,
    isLoading: true,
    isPart: false,
  })
  const refresher = useRef<Refresher | undefined>(undefined)
  useEffect(() => {
    const closed = new AbortController()
    const show = (change: Partial<typeof state>) =>
      closed.signal.aborted || setState((last) => ({ ...last, ...change }))
    let [wasOffline, isShown] = [false, false]
    const onPart = (value: Value) => isShown || show({ value, isPart: true })
    const created = createRefresher(async () => {
      show({ isLoading: true })
      try {
        show({ value: await load(closed.signal, onPart), error: undefined, isLoading: false, isPart: false })
        isShown = true
        wasOffline = false
      } catch (error) {
        wasOffline = error instanceof NetworkError
        show({ error, isLoading: false })
      }
    })
    const again = () => wasOffline && created.ask()
    refresher.current = created
    created.ask()
    window.addEventListener('online', again)
    return () => {
      closed.abort()
      created.stop()
      window.removeEventListener('online', again)
    }
  }, [])
  const reload = useCallback(() => refresher.current?.ask(), [])
  return { ...state, reload }
}
