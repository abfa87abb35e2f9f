import { useCallback, useRef, useState } from 'preact/hooks'

/** The work of a button: running, or failed. A second click while it runs does nothing. */
export interface Action {
  readonly isBusy: boolean
  readonly error: unknown
  /** Resolves with whether the work succeeded. */
  readonly run: (work: () => Promise<void>) => Promise<boolean>
  readonly clear: () => void
}

export function useAction(): Action {
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: unknown }>({
    isBusy: false,
    error: undefined,
  })
  const isBusy = useRef(false)
  const run = useCallback(async (work: () => Promise<void>) => {
    if (isBusy.current) return false
    isBusy.current = true
    setState({ isBusy: true, error: undefined })
    try {
      await work()
      setState({ isBusy: false, error: undefined })
      return true
    } catch (error) {
      setState({ isBusy: false, error })
      return false
    } finally {
      isBusy.current = false
    }
  }, [])
  const clear = useCallback(() => setState((last) => ({ ...last, error: undefined })), [])
  return { ...state, run, clear }
}
