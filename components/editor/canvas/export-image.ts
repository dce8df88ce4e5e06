import { download } from '@/components/ui/download'
import type { Definition } from '@/components/editor/model/draft/draft'
import { toFlow } from '@/components/editor/model/flow'
import { graphImage, type Ink } from './graph-image'
import { notesOf } from '@/components/editor/model/canvas/notes'

/** Sides of a picture of pixels that every browser can paint, in pixels. */
const MOST_PIXELS = 8_000

/** Gives the whole graph to the person as a file. Rejects, in words, when the browser cannot paint it. */
export async function exportImage(definition: Definition, kind: 'svg' | 'png', name: string): Promise<void> {
  const { svg, width, height } = graphImage(toFlow(definition), notesOf(definition), inkOfPage())
  const document = new Blob([svg], { type: 'image/svg+xml' })
  download(kind === 'svg' ? document : await painted(document, width, height), `${name}.${kind}`)
}

/** The colours in which the page is drawn now. */
function inkOfPage(): Ink {
  const style = getComputedStyle(window.document.documentElement)
  const colour = (token: string) => style.getPropertyValue(token).trim()
  return {
    ground: colour('--ground'),
    surface: colour('--surface'),
    line: colour('--line-strong'),
    ink: colour('--ink'),
    faint: colour('--faint'),
    note: colour('--tint-gate'),
  }
}

/** As pixels, two for each unit as far as they fit. */
async function painted(svg: Blob, width: number, height: number): Promise<Blob> {
  const scale = Math.min(2, MOST_PIXELS / Math.max(width, height))
  const url = URL.createObjectURL(svg)
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = window.document.createElement('canvas')
    canvas.width = Math.ceil(width * scale)
    canvas.height = Math.ceil(height * scale)
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    if (blob === null) throw new Error('The picture is too large for this browser. Export it as SVG.')
    return blob
  } finally {
    URL.revokeObjectURL(url)
  }
}
