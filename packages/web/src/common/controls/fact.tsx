import type { ComponentChildren } from 'preact'

interface FactProps {
  readonly term: ComponentChildren
  readonly termClass?: string | undefined
  readonly valueClass?: string | undefined
  readonly children: ComponentChildren
}

/** One term and its value in a list of facts (`dl`). */
export function Fact({ term, termClass, valueClass, children }: FactProps) {
  return (
    <div>
      <dt class={termClass}>{term}</dt>
      <dd class={valueClass}>{children}</dd>
    </div>
  )
}
