import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Elements count as visible a little before they come into view, so that they can load. */
const MARGIN = '400px'

const listeners = new WeakMap<Element, (isInView: boolean) => void>()
let shared: IntersectionObserver | undefined

/** One observer for all elements: thousands of observers would be slow. */
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
