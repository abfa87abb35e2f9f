/** Above every page of an owner: the move that is announced, and what to look at after one. */
import type { Owner } from '@blindkeep/client/owner'
import { millisecondsOf } from '@blindkeep/protocol/ids'
import { useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { PasswordForm } from '../account/passwordForm.tsx'
import { hasLookedAfter, lookedAfter } from '../browser/seenByBrowser.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts, movingTexts } from '../ground/texts.ts'
import { type FormerName, formerNameIn, type NextName, nextNameIn } from '../moving/serverNames.ts'

export function MoveNotices() {
  const { owner, baseUrl } = useOwnerPages()
  const { value } = useLoaded(() => readNotices(owner, baseUrl))
  return (
    <>
      {value?.next !== undefined && <AnnouncedMove next={value.next} passkeys={value.passkeys} />}
      {value?.former !== undefined && <LookThrough former={value.former} />}
    </>
  )
}

async function readNotices(owner: Owner, baseUrl: string) {
  const info = await owner.serverInfo()
  const here = { baseUrl, nowMs: owner.now() }
  const next = nextNameIn(info, here)
  const passkeys = next?.isOtherHost === true ? (await owner.passkeys()).length : 0
  const former = formerNameIn(info, here)
  const isLookedFor = former !== undefined && (await isFromBefore(owner, former))
  return { next, passkeys, former: isLookedFor ? former : undefined }
}

/** Whether the account is older than the move, and its owner has not looked here yet. */
async function isFromBefore(owner: Owner, { movedAt }: FormerName): Promise<boolean> {
  if (await hasLookedAfter(owner, movedAt)) return false
  return millisecondsOf((await owner.account()).createdAt) < millisecondsOf(movedAt)
}

/** The new address is no link: the announcement is not signed, and must not lead owners to type a password there. */
function AnnouncedMove({ next, passkeys }: { readonly next: NextName; readonly passkeys: number }) {
  const text = useText(movingTexts).announced
  const format = useText(formats)
  const [state, setState] = useState<'told' | 'trying' | 'right'>('told')
  const section = useRef<HTMLElement>(null)
  const leave = (next: 'told' | 'right') => {
    // The form had the focus, and is removed.
    section.current?.focus()
    setState(next)
  }
  return (
    <section
      ref={section}
      class="banner stack no-print"
      tabIndex={-1}
      aria-label={text.title(next.name, format.day(next.on))}
    >
      <Notice tone={passkeys > 0 && state !== 'right' ? 'warn' : 'info'}>
        <p>
          <strong>{text.title(next.name, format.day(next.on))}</strong>
        </p>
        <p>{text.what}</p>
        {passkeys > 0 && state !== 'right' && <p>{text.passkeys(passkeys)}</p>}
        {state === 'told' && (
          <div>
            <Button icon="key" onClick={() => setState('trying')}>
              {text.try}
            </Button>
          </div>
        )}
      </Notice>
      {state === 'trying' && <TryPassword onRight={() => leave('right')} onClose={() => leave('told')} />}
      {state === 'right' && <Notice tone="good">{text.right}</Notice>}
    </section>
  )
}

function TryPassword({ onRight, onClose }: { readonly onRight: () => void; readonly onClose: () => void }) {
  const { owner } = useOwnerPages()
  const text = useText(movingTexts).announced
  const accountText = useText(accountTexts)
  return (
    <div class="card">
      <PasswordForm
        submit={text.check}
        after={() => <p class="small soft">{text.lost(accountText.signIn.recover)}</p>}
        onSubmit={async ({ password }) => {
          await owner.checkPassword(password)
          onRight()
        }}
        onCancel={onClose}
      />
    </div>
  )
}

function LookThrough({ former }: { readonly former: FormerName }) {
  const { owner } = useOwnerPages()
  const text = useText(movingTexts).look
  const format = useText(formats)
  const [hasLooked, setLooked] = useState(false)
  const done = async ({ currentTarget }: MouseEvent) => {
    const main = currentTarget instanceof Element ? currentTarget.closest('main') : null
    // First, as the page may be left as soon as this is no longer shown.
    await lookedAfter(owner, former.movedAt)
    // The button had the focus, and is removed.
    main?.focus()
    setLooked(true)
  }
  if (hasLooked) return null
  return (
    <div class="banner no-print">
      <Notice tone="info">
        <p>
          <strong>{text.title(former.name, format.date(former.movedAt))}</strong>
        </p>
        <p>{text.what}</p>
        <div class="row">
          <a class="button" href="#/account">
            {text.open}
          </a>
          <Button kind="quiet" onClick={(event) => void done(event)}>
            {text.done}
          </Button>
        </div>
      </Notice>
    </div>
  )
}
