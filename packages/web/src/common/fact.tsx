import type { ComponentChildren } from 'preact'

interface FactProps {
  readonly term: string
  readonly termClass?: string | undefined
  readonly valueClass?: string | undefined
  readonly children: ComponentChildren
}

/** One line of a list of facts (`dl`): what it is, and how it stands. */
export function Fact({ term, termClass, valueClass, children }: FactProps) {
  return (
    <div>
      <dt class={termClass}>{term}</dt>
      <dd class={valueClass}>{children}</dd>
    </div>
  )
}
