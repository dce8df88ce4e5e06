/** The layout shows the editor and stays mounted when the code is opened. */
export default function PipelinePage() {
  return null
}
