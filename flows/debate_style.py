"""The look of a debate, in the mailed file and on the page: any width, light and dark."""

STYLE = """
body.moot{max-width:46rem;margin:1rem auto;padding:0 1rem;font:16px/1.55 system-ui,sans-serif;
color-scheme:light dark;background:Canvas;color:CanvasText}
.moot article,article.moot,.mt article{border-left:5px solid var(--shade,GrayText);
background:color-mix(in srgb,var(--shade,gray) 9%,transparent);border-radius:.4rem;
padding:.6rem .9rem;margin:.7rem 0;overflow-wrap:anywhere}
.moot h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
.moot h3,.mt h3{font-size:1.02rem;margin:.1rem 0 .4rem;padding:0;line-height:1.4}
.moot p,.mt p{margin:.35rem 0}
.moot ul,.mt ul{margin:.3rem 0;padding-left:1.3rem}
.moot li,.mt li{margin:.25rem 0}
.moot .people,.mt .people{list-style:none;padding:0}
.moot .people li,.mt .people li{border-left:5px solid var(--shade);padding:.1rem .7rem;
margin:.5rem 0;overflow-wrap:anywhere}
.moot .stance,.mt .stance{font-weight:600;font-size:.8rem;border:1px solid;border-radius:1rem;
padding:0 .45rem;white-space:nowrap}
.moot .small,.mt .small{font-size:.85rem;font-weight:400;opacity:.8}
.moot .refs,.mt .refs{font-size:.88rem;margin-top:.5rem}
.moot .refs ol,.mt .refs ol{padding-left:1.6rem;margin:.3rem 0}
.moot blockquote,.mt blockquote{margin:.2rem 0;padding-left:.6rem;border-left:2px solid;
opacity:.85}
.moot :target,.mt :target{outline:2px solid}
.moot sup,.mt sup{line-height:0}
.moot sup a,.mt sup a{padding:0 .1rem;text-decoration:none;font-weight:600}
.mt .doing::after{content:"";animation:moot-dots 1.2s steps(4,end) infinite}
@keyframes moot-dots{25%{content:"."}50%{content:".."}75%{content:"..."}}
@media (prefers-reduced-motion:reduce){.mt .doing::after{animation:none}}
"""

__all__ = ["STYLE"]
