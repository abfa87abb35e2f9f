import { Dialog } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import type { ProofStatus } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

/** Is loaded when a guest asks for proofs. */
export function LateProofDialog({ proofs }: { readonly proofs: ProofStatus }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const { value, error } = useLoaded(() => import('./proofDialog.tsx'))
  if (value !== undefined) return <value.ProofDialog proofs={proofs} />
  if (error === undefined) return null
  return (
    <Dialog title={text.receipt.proofs} closeLabel={text.confirm.close} onClose={() => tell({ do: 'dropProofs' })}>
      <p>{text.failures.unexpected}</p>
    </Dialog>
  )
}
