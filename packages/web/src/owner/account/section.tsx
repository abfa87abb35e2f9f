import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import type { IconName } from '../../common/controls/icons.tsx'
import type { Loaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'

interface SectionProps {
  readonly title: string
  /** The state, beside the title. */
  readonly state?: ComponentChildren
  readonly explain?: string
  /** Its error is shown, with a button to load again. */
  readonly loaded?: Pick<Loaded<unknown>, 'error' | 'reload'>
  readonly children: ComponentChildren
}

/** One section of the account page. */
export function Section({ title, state, explain, loaded, children }: SectionProps) {
  const id = useId()
  return (
    <section class="card stack" aria-labelledby={id}>
      <div class="row apart">
        <h2 id={id}>{title}</h2>
        {state}
      </div>
      {explain !== undefined && <p class="soft">{explain}</p>}
      {loaded?.error !== undefined && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
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
    <Section title={text.title} explain={text.explain}>
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
