import { useCallback, useEffect, useState } from 'preact/hooks'

/** The result of a request to the server. The last value stays while it is loaded again. */
export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Loads at first, after `reload`, and when `key` changes, which drops the last value. Ignores late answers. */
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, key = ''): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value: Value | undefined; error: unknown; isLoading: boolean }>({
    key,
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const outdated = new AbortController()
    setState((last) => ({ key, value: last.key === key ? last.value : undefined, error: undefined, isLoading: true }))
    load(outdated.signal).then(
      (value) => outdated.signal.aborted || setState({ key, value, error: undefined, isLoading: false }),
      (error: unknown) => outdated.signal.aborted || setState((last) => ({ ...last, error, isLoading: false })),
    )
    return () => outdated.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((last) => last + 1), [])
  return { value: state.key === key ? state.value : undefined, error: state.error, isLoading: state.isLoading, reload }
}
