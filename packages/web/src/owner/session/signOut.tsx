import { useState } from 'preact/hooks'
import { Button, Dialog, DialogEnd } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { isCloseGuarded } from '../../common/work/closeGuard.ts'
import { takenFiles } from '../../take/takenFiles.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { ownerTexts } from '../ground/texts.ts'
import { storedUploads } from '../uploads/uploadStore.ts'
import { storedWorkCount } from '../work/workStore.ts'
import type { PageSession } from './session.ts'

interface Loss {
  readonly isUnderWay: boolean
  readonly hasUnfinished: boolean
  readonly hasWork: boolean
  readonly hasTaken: boolean
}

interface SignOut {
  /** Signs out, or asks first when something would be lost. */
  readonly begin: () => void
  /** What would be lost, while the owner is asked. */
  readonly loss: Loss | undefined
  readonly leave: () => void
  readonly stay: () => void
}

export function useSignOut(session: PageSession): SignOut {
  const { owner, baseUrl } = useOwnerPages()
  const [loss, setLoss] = useState<Loss>()
  const leave = () => void session.signOut()
  const begin = async () => {
    const stored = await storedUploads({ accountId: owner.accountId, baseUrl }).catch(() => [])
    const taken = await takenFiles({ accountId: owner.accountId, baseUrl }).catch(() => [])
    const hasWork = (await storedWorkCount({ accountId: owner.accountId, baseUrl })) > 0
    const isUnderWay = isCloseGuarded()
    const found = { isUnderWay, hasUnfinished: stored.length > 0, hasTaken: taken.length > 0, hasWork }
    if (Object.values(found).includes(true)) setLoss(found)
    else leave()
  }
  return { begin: () => void begin(), loss, leave, stay: () => setLoss(undefined) }
}

export function SignOutQuestion({ signOut: { loss, leave, stay } }: { readonly signOut: SignOut }) {
  const { unsaved } = useOwnerPages()
  const text = useText(ownerTexts).busy
  if (loss === undefined) return null
  return (
    <Dialog title={text.title} closeLabel={text.stay} onClose={stay}>
      {unsaved.backupCodes !== undefined && <p>{text.unsavedCodes}</p>}
      {unsaved.webhookSecret !== undefined && <p>{text.unsavedWebhook}</p>}
      {unsaved.recoveryWords !== undefined && <p>{text.unsavedWords}</p>}
      {loss.isUnderWay && Object.values(unsaved).every((secret) => secret === undefined) && <p>{text.explain}</p>}
      {loss.hasUnfinished && <p>{text.unfinished}</p>}
      {loss.hasWork && <p>{text.work}</p>}
      {loss.hasTaken && <p>{text.taken}</p>}
      <DialogEnd>
        <Button kind="danger" onClick={leave}>
          {text.leave}
        </Button>
        <Button kind="quiet" onClick={stay}>
          {text.stay}
        </Button>
      </DialogEnd>
    </Dialog>
  )
}
