import { useEffect, useRef } from 'preact/hooks'
import { useInView } from './useInView.ts'

/**
 * Marks the end of a long list that is drawn in steps, and reports when a person scrolls to it. Use the number of drawn
 * entries as its `key`: each element reports once, so each step needs a new one.
 */
export function StepEnd({ onReached }: { readonly onReached: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const isInView = useInView(place)
  useEffect(() => {
    if (isInView) onReached()
  }, [isInView])
  return <div ref={place} />
}
