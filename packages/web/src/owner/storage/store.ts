/** What outlives the page that shows it: whoever goes to another page and comes back finds it as it is by then. */
import { useEffect, useState } from 'preact/hooks'

export interface Store<State> {
  get(): State
  set(changed: Partial<State>): void
  /** Gives the function that ends it. */
  subscribe(listener: () => void): () => void
}

export function createStore<State extends object>(first: State): Store<State> {
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

export function useStore<State>(store: Pick<Store<State>, 'get' | 'subscribe'>): State {
  const [state, setState] = useState(store.get)
  useEffect(() => {
    // What changed between the drawing and this.
    setState(store.get())
    return store.subscribe(() => setState(store.get()))
  }, [store])
  return state
}
