import { describe, expect, it } from 'vitest'
import { toFlow } from '@/components/editor/model/flow'
import { node, pipeline } from '@/testing/definitions'
import { graphImage } from './graph-image'

const ink = { ground: '#fff', surface: '#fff', line: '#000', ink: '#000', faint: '#555', note: '#eed' }

describe('the picture of a graph', () => {
  it('holds every card, edge and note, and nothing that a name would smuggle in', () => {
    const flow = toFlow(
      pipeline([
        node('a', undefined, { name: '<script>alert("1")</script> & \u0007 more' }),
        node('b', 'event:a.completed && {{ a.v > 1 }} || event:external.go'),
      ]),
    )
    const note = {
      id: 'n',
      text: 'one\ntwo </svg>',
      x: -400,
      y: -50,
      width: 200,
      height: 100,
      color: 'sand' as const,
    }
    const { svg, width, height } = graphImage(flow, [note], ink)
    expect(svg.match(/<path d=/g)).toHaveLength(3)
    expect(svg).toContain('&lt;script&gt;')
    expect(svg).toContain('two &lt;/svg&gt;')
    expect(svg).not.toMatch(/<script|NaN|undefined/)
    expect(svg).not.toContain('\u0007')
    expect(svg).toContain('if a.v &gt; 1')
    expect(svg).toContain(`viewBox="-432 -82 ${width} ${height}"`)
  })

  it('of nothing is empty', () => {
    expect(graphImage(toFlow(pipeline([])), [], ink)).toMatchObject({ width: 64, height: 64 })
  })
})
