/**
 * Shows one file of a stranger. This script runs in a sandbox without an origin, a network or any of our data, so
 * a malicious file that takes it over can reach nothing. It accepts orders from the page around it, and no other
 * message. A kind of file that the browser does not draw is drawn by a decoder in a worker, whose code the page sends
 * when this script asks for it.
 */
import { type Drawing, type FromDecoder, failureIn, type ToDecoder } from './decoders/decoding.ts'
import type { DecoderCode, Drawable, FromFrame, Order, ToFrame } from './previewMessages.ts'

const page = window.parent
let takeDecoder: (code: DecoderCode) => void = () => undefined
/** The only page of most files has nothing to turn to. */
let turnTo: (page: number, label: string) => Promise<void> = async () => undefined
let isOrdered = false

function answer(message: FromFrame, transfer: Transferable[] = []): void {
  // The sandbox does not know the page's origin. The messages contain no secret that the page does not have.
  page.postMessage(message, '*', transfer)
}

function fail(error: unknown): void {
  const failure = failureIn(error)
  answer({ kind: 'failed', ...(failure && { failure }) })
}

function hear({ source, data }: MessageEvent<ToFrame>): void {
  if (source !== page) return
  if (data.kind === 'decoder') takeDecoder(data.code)
  else if (data.kind === 'page') turnTo(data.page, data.label).catch(fail)
  else if (!isOrdered) {
    isOrdered = true
    carryOut(data).catch(fail)
  }
}

async function carryOut(order: Order): Promise<void> {
  switch (order.kind) {
    case 'image':
      return showImage(order)
    case 'text':
      return showText(order)
    case 'media':
      return showMedia(order)
    case 'pages':
      return showPages(order)
    case 'thumbnail': {
      const bytes = await thumbnailOf(order)
      return answer({ kind: 'thumbnail', bytes }, [bytes])
    }
  }
}

async function showImage({ bytes, type, label }: Extract<Order, { kind: 'image' }>): Promise<void> {
  const image = new Image()
  image.alt = label
  image.src = URL.createObjectURL(new Blob([bytes], { type }))
  await image.decode()
  document.body.replaceChildren(image)
  answer({ kind: 'shown', width: image.naturalWidth, height: image.naturalHeight })
}

function showText({ bytes, label }: Extract<Order, { kind: 'text' }>): void {
  const text = document.createElement('pre')
  text.tabIndex = 0
  text.setAttribute('role', 'region')
  text.setAttribute('aria-label', label)
  text.textContent = new TextDecoder().decode(bytes)
  document.body.replaceChildren(text)
  answer({ kind: 'shown' })
}

async function showMedia({ file, type, label }: Extract<Order, { kind: 'media' }>): Promise<void> {
  const player = playerOf(file, type)
  player.controls = true
  player.setAttribute('aria-label', label)
  document.body.replaceChildren(player)
  await eventOf(player, 'loadedmetadata')
  const size = player instanceof HTMLVideoElement ? { width: player.videoWidth, height: player.videoHeight } : {}
  answer({ kind: 'shown', ...size })
}

function playerOf(file: Blob, type: string): HTMLMediaElement {
  const player = document.createElement(type.startsWith('video/') ? 'video' : 'audio')
  // A player beside this device would need a network.
  player.disableRemotePlayback = true
  player.setAttribute('controlslist', 'nodownload noremoteplayback')
  player.setAttribute('playsinline', '')
  player.preload = 'auto'
  player.src = URL.createObjectURL(file.slice(0, file.size, type))
  return player
}

/** Rejects when the player gives up before. */
function eventOf(player: HTMLMediaElement, name: 'loadedmetadata' | 'loadeddata' | 'seeked'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    player.addEventListener(name, resolve, { once: true })
    player.addEventListener('error', () => reject(new Error('the player cannot play it')), { once: true })
  })
}

interface Pages {
  readonly count: number
  draw(page: number, width: number): Promise<{ readonly picture: ImageBitmap; readonly text: string }>
}

async function showPages(order: Extract<Order, { kind: 'pages' }>): Promise<void> {
  const pages = await openPages(order)
  const isPaper = order.decoder !== 'heic'
  let last: Promise<void> = Promise.resolve()
  async function show(number: number, label: string): Promise<void> {
    const { picture, text } = await pages.draw(number, Math.round(document.body.clientWidth * devicePixelRatio))
    const canvas = document.createElement('canvas')
    const { width, height } = picture
    Object.assign(canvas, { width, height, className: isPaper ? 'paper' : '' })
    canvas.setAttribute('role', 'img')
    canvas.setAttribute('aria-label', label)
    canvas.getContext('bitmaprenderer')?.transferFromImageBitmap(picture)
    const spoken = document.createElement('p')
    Object.assign(spoken, { className: 'spoken', textContent: text })
    document.body.replaceChildren(canvas, spoken)
    document.documentElement.scrollTop = 0
    answer({ kind: 'shown', width, height, pages: pages.count })
  }
  turnTo = (number, label) => {
    last = last.then(() => show(number, label))
    return last
  }
  await turnTo(0, order.label)
}

async function openPages({ decoder, bytes }: Extract<Drawable, { kind: 'pages' }>): Promise<Pages> {
  // Some browsers draw the pictures of phones themselves.
  const own = decoder === 'heic' && (await ownPicture(new Blob([bytes], { type: 'image/heic' })))
  if (own) return { count: 1, draw: async () => ({ picture: own, text: '' }) }
  const code = await new Promise<DecoderCode>((resolve) => {
    takeDecoder = resolve
    answer({ kind: 'needs' })
  })
  const worker = new Worker(URL.createObjectURL(new Blob([...code.scripts], { type: 'text/javascript' })))
  const wasm = await code.wasm?.arrayBuffer()
  const opened = await ask(worker, { kind: 'open', bytes: bytes.buffer, wasm }, [bytes.buffer])
  if (opened.kind !== 'opened') throw new Error('the decoder opened nothing')
  return {
    count: opened.pages,
    async draw(number, width) {
      const drawn = await ask(worker, { kind: 'draw', page: number, width: Math.max(1, width) })
      if (drawn.kind !== 'drawn') throw new Error('the decoder drew nothing')
      return { picture: await bitmapOf(drawn.drawing, width), text: drawn.drawing.text ?? '' }
    },
  }
}

async function ownPicture(file: Blob): Promise<ImageBitmap | undefined> {
  return createImageBitmap(file).catch(() => undefined)
}

/** One question after the other. */
function ask(worker: Worker, question: ToDecoder, transfer: Transferable[] = []): Promise<FromDecoder> {
  return new Promise((resolve, reject) => {
    worker.onerror = () => reject(new Error('the decoder has ended'))
    worker.onmessage = ({ data }: MessageEvent<FromDecoder>) =>
      data.kind === 'failed' ? reject(new Error(data.failure)) : resolve(data)
    worker.postMessage(question, transfer)
  })
}

/** Not much larger than it is shown: a picture of a phone would take ten times the memory of the screen. */
async function bitmapOf({ width, height, pixels }: Drawing, shownWidth: number): Promise<ImageBitmap> {
  const picture = new ImageData(pixels, width, height)
  if (width <= 2 * shownWidth) return createImageBitmap(picture)
  return createImageBitmap(picture, { resizeWidth: Math.max(1, 2 * shownWidth), resizeQuality: 'high' })
}

async function thumbnailOf({ of, edge }: Extract<Order, { kind: 'thumbnail' }>): Promise<ArrayBuffer> {
  const picture = await pictureOf(of, edge)
  const [fullWidth, fullHeight] =
    picture instanceof HTMLVideoElement ? [picture.videoWidth, picture.videoHeight] : [picture.width, picture.height]
  const scale = Math.min(1, edge / Math.max(fullWidth, fullHeight))
  const [width, height] = [fullWidth, fullHeight].map((full) => Math.max(1, Math.round(full * scale)))
  const canvas = new OffscreenCanvas(width ?? 1, height ?? 1)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('the browser offers no canvas')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  // A browser that cannot write WebP writes PNG.
  return (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer()
}

/** The picture that stands for the file: of pages the first, of a film one from its beginning. */
async function pictureOf(of: Drawable, edge: number): Promise<ImageBitmap | HTMLVideoElement> {
  switch (of.kind) {
    case 'image':
      return createImageBitmap(new Blob([of.bytes], { type: of.type }))
    case 'pages':
      return (await (await openPages(of)).draw(0, 2 * edge)).picture
    case 'media': {
      const player = playerOf(of.file, of.type)
      if (!(player instanceof HTMLVideoElement)) throw new Error('a sound has no picture')
      player.muted = true
      await eventOf(player, 'loadeddata')
      // The very first picture of a film is often black.
      player.currentTime = Math.min(1, player.duration / 2)
      await eventOf(player, 'seeked')
      if (player.videoWidth === 0) throw new Error('a film without pictures')
      return player
    }
  }
}

window.addEventListener('message', hear)
// The page around the frame hears no key while the frame has the focus.
window.addEventListener('keydown', ({ key, target }) => {
  if (key === 'Escape') answer({ kind: 'escape' })
  // In a player the arrows move through the film.
  if (target instanceof HTMLMediaElement) return
  if (key === 'ArrowLeft') answer({ kind: 'turn', by: -1 })
  if (key === 'ArrowRight') answer({ kind: 'turn', by: 1 })
})
answer({ kind: 'ready' })
