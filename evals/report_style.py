"""The look of a report: any width, light and dark, on screen and on paper."""

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--card:#f7f8fa;--ink:#1b1f24;--soft:#5b6470;
--grid:#e3e6ea;--line:#d5d9df;--accent:#0072B2;--good:#00704f;--bad:#b34700;--mark:#eef5fb}
@media (prefers-color-scheme:dark){:root{--paper:#14171b;--card:#1c2026;--ink:#e8eaed;
--soft:#a2abb6;--grid:#2c323a;--line:#39414b;--accent:#56B4E9;--good:#3fc59a;--bad:#f0975a;
--mark:#1b2a36}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:74rem;margin:0 auto;padding:2.2rem 1.4rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .3rem;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:1.2rem;margin:2.6rem 0 .2rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:1.5rem 0 .4rem}
p{margin:.4rem 0}
a{color:var(--accent)}
.soft,.note,figcaption{color:var(--soft)}
.note,figcaption{font-size:.87rem}
.lead{font-size:1.06rem;background:var(--mark);border-left:4px solid var(--accent);
border-radius:.35rem;padding:.7rem 1rem;margin:1.1rem 0}
.lead p{margin:.15rem 0}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.6rem,1fr));gap:.7rem;
margin:1.1rem 0}
.facts div{background:var(--card);border-radius:.5rem;padding:.55rem .8rem}
.facts b{display:block;font-size:1.28rem;font-weight:650;font-variant-numeric:tabular-nums;
line-height:1.25}
.facts span{color:var(--soft);font-size:.8rem}
.scroll{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:.42rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid)}
thead th{color:var(--soft);font-weight:600;font-size:.83rem;border-bottom:1.5px solid var(--line);
white-space:nowrap}
tbody th{font-weight:600;white-space:nowrap}
td.n,th.n{text-align:right;white-space:nowrap}
.primary{background:var(--mark)}
.value{white-space:nowrap}
.value b{font-weight:650}
.value small,.count{color:var(--soft);font-size:.8rem;white-space:nowrap}
.strip{display:block;margin:.12rem 0 0}
.tag{display:inline-block;font-size:.76rem;font-weight:600;border:1px solid;border-radius:1rem;
padding:0 .5rem;white-space:nowrap}
.better{color:var(--good)}.worse{color:var(--bad)}.same{color:var(--soft)}
.swatch{display:inline-block;width:.72rem;height:.72rem;border-radius:50%;margin-right:.4rem;
vertical-align:-.04rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr));gap:1.2rem}
figure{margin:.6rem 0;background:var(--card);border-radius:.6rem;padding:.8rem .9rem}
figure svg{display:block;width:100%;height:auto}
figcaption{margin-top:.4rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.86rem;margin:.5rem 0}
.legend svg{vertical-align:-.12rem}
.heat td{text-align:center;min-width:3.4rem}
.heat thead th{white-space:normal;vertical-align:bottom;font-weight:500;line-height:1.2;
text-align:center}
.heat thead th:first-child{text-align:left}
details{margin:.5rem 0}
summary{cursor:pointer;font-weight:600}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem}
article{background:var(--card);border-radius:.6rem;padding:.8rem 1rem;overflow-wrap:anywhere}
article h4{margin:0 0 .4rem;font-size:.95rem}
article p{margin:.45rem 0}
pre{background:var(--card);border-radius:.5rem;padding:.8rem 1rem;overflow-x:auto;
font:.86rem/1.55 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.6rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
footer{margin-top:3rem;color:var(--soft);font-size:.85rem}
@media (max-width:40rem){.facts b{font-size:1.08rem}
main{padding:1.2rem .9rem 3rem}h1{font-size:1.35rem}dl{display:block}
dt{margin-top:.4rem}}
@media print{main{max-width:none}figure,article{break-inside:avoid}details>*{display:block}}
"""

__all__ = ["STYLE"]
