import { useCallback, useEffect, useState } from 'preact/hooks'

/** What a page asks the server for: on its way, there, or refused. What was there before stays in view while it is asked for again. */
export interface Loaded<Value> {
  readonly value: Value | undefined
  readonly error: unknown
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Loads once and again after `reload`, or when `key` changes, which also forgets what was there. What comes too late is thrown away. */
export function useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, key = ''): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value: Value | undefined; error: unknown; isLoading: boolean }>({
    key,
    value: undefined,
    error: undefined,
    isLoading: true,
  })
  const [round, setRound] = useState(0)
  useEffect(() => {
    const gone = new AbortController()
    setState((last) => ({ key, value: last.key === key ? last.value : undefined, error: undefined, isLoading: true }))
    load(gone.signal).then(
      (value) => gone.signal.aborted || setState({ key, value, error: undefined, isLoading: false }),
      (error: unknown) => gone.signal.aborted || setState((last) => ({ ...last, error, isLoading: false })),
    )
    return () => gone.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((last) => last + 1), [])
  return { value: state.key === key ? state.value : undefined, error: state.error, isLoading: state.isLoading, reload }
}
