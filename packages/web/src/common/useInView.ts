import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** What comes into view next is loaded a little before it does. */
const MARGIN = '400px'

const listeners = new WeakMap<Element, (isInView: boolean) => void>()
let shared: IntersectionObserver | undefined

/** One for all: thousands of observers would be slower than what they spare. */
function observer(): IntersectionObserver {
  shared ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
    },
    { rootMargin: MARGIN },
  )
  return shared
}

export function useInView(element: RefObject<Element | null>): boolean {
  const [isInView, setInView] = useState(false)
  useEffect(() => {
    const watched = element.current
    if (watched === null) return undefined
    listeners.set(watched, setInView)
    observer().observe(watched)
    return () => {
      observer().unobserve(watched)
      listeners.delete(watched)
    }
  }, [])
  return isInView
}
