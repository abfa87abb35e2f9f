import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../../common/controls.tsx'
import type { IconName } from '../../common/icons.tsx'

interface SectionProps {
  readonly title: string
  /** The state, beside the title. */
  readonly state?: ComponentChildren
  readonly children: ComponentChildren
}

/** One section of the account page. */
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

interface UnfoldingSectionProps {
  readonly text: { readonly title: string; readonly explain: string; readonly open: string }
  readonly icon: IconName
  /** The form that the button opens. */
  readonly children: (close: () => void) => ComponentChildren
}

/** A section with a form that a button opens. */
export function UnfoldingSection({ text, icon, children }: UnfoldingSectionProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={text.title}>
      <p class="soft">{text.explain}</p>
      {isOpen ? (
        children(() => setOpen(false))
      ) : (
        <div>
          <Button icon={icon} onClick={() => setOpen(true)}>
            {text.open}
          </Button>
        </div>
      )}
    </Section>
  )
}
