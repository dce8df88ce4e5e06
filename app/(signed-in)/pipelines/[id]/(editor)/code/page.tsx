/** The layout shows the editor with its code open. */
export default function PipelineCodePage() {
  return null
}
