import { useEffect, useRef } from 'preact/hooks'
import { useInView } from './useInView.ts'

/**
 * Stands at the end of a long list that is drawn in steps, and says when somebody gets there. Give it the number of what is drawn as its `key`: what stays
 * in view is told once, so each step needs a new one.
 */
export function StepEnd({ onReached }: { readonly onReached: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const isInView = useInView(place)
  useEffect(() => {
    if (isInView) onReached()
  }, [isInView])
  return <div ref={place} />
}
