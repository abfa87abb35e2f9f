/** State that outlives the page that shows it: it keeps changing while the owner looks at other pages. */
import { useLayoutEffect, useState } from 'preact/hooks'

export interface RunState<State> {
  get(): State
  set(changed: Partial<State>): void
  /** Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void
}

export function createRunState<State extends object>(first: State): RunState<State> {
  let state = first
  const listeners = new Set<() => void>()
  return {
    get: () => state,
    set(changed) {
      state = { ...state, ...changed }
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useRunState<State>(run: Pick<RunState<State>, 'get' | 'subscribe'>): State {
  const [state, setState] = useState(run.get)
  // Before the page is painted, so that nothing is shown that its first look at the state takes back.
  useLayoutEffect(() => {
    // The state may have changed between the drawing and this effect.
    setState(run.get())
    return run.subscribe(() => setState(run.get()))
  }, [run])
  return state
}
