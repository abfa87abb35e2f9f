import { useState } from 'preact/hooks'
import { Button, Dialog, Field, Name, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { byProtection, isProtected } from '../albums/protection.ts'
import { assetFeedOf } from '../assets/assetFeed.ts'
import { NamedFew } from '../dialogs/namedFew.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import type { PageSession } from '../session/session.ts'
import { PasswordForm } from './passwordForm.tsx'
import { Section } from './section.tsx'

interface DeleteAccountProps {
  readonly email: string
  /** A second factor is on. */
  readonly asksCode: boolean
  readonly session: PageSession
}

export function DeleteAccount(props: DeleteAccountProps) {
  const text = useText(accountTexts).leave
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={text.title} explain={text.explain}>
      <div>
        <Button kind="danger" icon="trash" onClick={() => setOpen(true)}>
          {text.open}
        </Button>
      </div>
      {isOpen && <DeleteDialog {...props} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function DeleteDialog({ email, asksCode, session, onClose }: DeleteAccountProps & { readonly onClose: () => void }) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const [typed, setTyped] = useState('')
  const isConfirmed = typed.trim().toLowerCase() === email.toLowerCase()
  return (
    <Dialog title={text.leave.dialogTitle} closeLabel={text.page.close} onClose={onClose}>
      <div class="stack tight">
        <p>{text.leave.what}</p>
        <ul class="consequences">
          {text.leave.items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </div>
      <RetainedFiles />
      <PasswordForm
        explain={text.leave.saveFirst}
        submit={text.leave.submit}
        kind="danger"
        asksCode={asksCode}
        isReady={isConfirmed}
        unsure={text.leave.unsure}
        onSubmit={({ password, code }) =>
          session.endBy('deletion', () => owner.deleteAccount({ password, ...(asksCode && { code }) }))
        }
        onCancel={onClose}
        before={(hasTried) => (
          <Field
            label={text.leave.confirm(email)}
            fault={hasTried && !isConfirmed ? text.leave.confirmFault : undefined}
          >
            {(input) => (
              <input
                {...input}
                value={typed}
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                onInput={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
      />
    </Dialog>
  )
}

/** The server refuses while there are some. Where they cannot be listed, its refusal has to do. */
function RetainedFiles() {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts).leave
  const format = useText(formats)
  const { value: assets = [] } = useLoaded(async () => [...(await assetFeedOf(owner).refresh()).values()])
  const albums = useLoaded(() => owner.albums())
  const { kept } = byProtection(assets, owner.now())
  if (kept === undefined) return null
  const places = new Set(
    assets.filter(({ retainedUntil }) => isProtected(retainedUntil, owner.now())).map(({ albumId }) => albumId),
  )
  return (
    <Notice tone="warn">
      <p>{text.retained(kept.count, format.instant(kept.until))}</p>
      <NamedFew items={[...places]} keyOf={(albumId) => albumId}>
        {(albumId) => <Name>{albums.value?.find((album) => album.albumId === albumId)?.name ?? albumId}</Name>}
      </NamedFew>
    </Notice>
  )
}
