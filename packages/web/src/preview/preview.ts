/**
 * Shows one file of a stranger. This script runs in a sandbox without an origin, a network or any of our data, so
 * a malicious file that takes it over can reach nothing. It accepts one order from the page around it, and no
 * other message.
 */
import type { FromFrame, ImageType, ToFrame } from './previewMessages.ts'

const page = window.parent

function answer(message: FromFrame, transfer: Transferable[] = []): void {
  // The sandbox does not know the page's origin. The messages contain no secret that the page does not have.
  page.postMessage(message, '*', transfer)
}

function takeOrder(event: MessageEvent<ToFrame>): void {
  if (event.source !== page) return
  window.removeEventListener('message', takeOrder)
  carryOut(event.data).catch(() => answer({ kind: 'failed' }))
}

async function carryOut(order: ToFrame): Promise<void> {
  switch (order.kind) {
    case 'image':
      return showImage(order)
    case 'text':
      return showText(order)
    case 'thumbnail': {
      const bytes = await thumbnailOf(order)
      return answer({ kind: 'thumbnail', bytes }, [bytes])
    }
  }
}

async function showImage({ bytes, type, label }: Extract<ToFrame, { kind: 'image' }>): Promise<void> {
  const image = new Image()
  image.alt = label
  image.src = URL.createObjectURL(new Blob([bytes], { type }))
  await image.decode()
  document.body.replaceChildren(image)
  answer({ kind: 'shown', width: image.naturalWidth, height: image.naturalHeight })
}

function showText({ bytes, label }: Extract<ToFrame, { kind: 'text' }>): void {
  const text = document.createElement('pre')
  text.tabIndex = 0
  text.setAttribute('role', 'region')
  text.setAttribute('aria-label', label)
  text.textContent = new TextDecoder().decode(bytes)
  document.body.replaceChildren(text)
  answer({ kind: 'shown' })
}

async function thumbnailOf({ bytes, type, edge }: Extract<ToFrame, { kind: 'thumbnail' }>): Promise<ArrayBuffer> {
  const picture = await createImageBitmap(new Blob([bytes], { type: type satisfies ImageType }))
  const scale = Math.min(1, edge / Math.max(picture.width, picture.height))
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  )
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('the browser offers no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  // A browser that cannot write WebP writes PNG.
  return (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer()
}

window.addEventListener('message', takeOrder)
// The page around the frame hears no key while the frame has the focus.
window.addEventListener('keydown', ({ key }) => key === 'Escape' && answer({ kind: 'escape' }))
answer({ kind: 'ready' })
