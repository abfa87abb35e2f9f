import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface SectionProps {
  readonly title: string
  /** Beside the title: how it stands. */
  readonly state?: ComponentChildren
  readonly children: ComponentChildren
}

/** One matter of the account page. */
export function Section({ title, state, children }: SectionProps) {
  const id = useId()
  return (
    <section class="card stack" aria-labelledby={id}>
      <div class="row apart">
        <h2 id={id}>{title}</h2>
        {state}
      </div>
      {children}
    </section>
  )
}
